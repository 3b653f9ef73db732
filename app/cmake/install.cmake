# The layout of `cmake --install`, also used by packages. The program and its libraries are in
# lib/lanescope, so that the whole tree can be moved; bin/lanescope links there.
include(GNUInstallDirs)
set(packaging ${CMAKE_SOURCE_DIR}/app/packaging)
set(home lib/lanescope)

# Libraries opened at run time; our own builds (app/packaging/own_libraries.sh) replace those of
# this machine's that are too new for other systems.
set(opened ${LANESCOPE_BUNDLE_libEGL.so.1} ${LANESCOPE_BUNDLE_libGL.so.1} ${LANESCOPE_LATE})
file(GLOB own CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/.deps/release/*.so.*
     ${CMAKE_SOURCE_DIR}/.deps/mesa/*.so.*)
install(CODE "
    execute_process(COMMAND ${CMAKE_COMMAND}
        \"-DEXECUTABLES=$<TARGET_FILE:lanescope>\" \"-DLIBRARIES=${opened}\" \"-DOWN=${own}\"
        \"-DFOLDER=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${home}\" -DSTRIP=${CMAKE_STRIP}
        -P ${CMAKE_SOURCE_DIR}/app/cmake/bundle.cmake COMMAND_ERROR_IS_FATAL ANY)
    file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
    file(CREATE_LINK ../${home}/lanescope
         \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/lanescope\" SYMBOLIC)")
if(TARGET cudart_13)
    # The runtime libraries that programs run by `lanescope program` load.
    install(TARGETS cudart_12 cudart_13 compilers LIBRARY DESTINATION ${home}/runtime)
    foreach(version 12 13)
        install(TARGETS libcuda_${version} LIBRARY DESTINATION ${home}/runtime/driver_${version})
    endforeach()
    if(TARGET passing_13)
        install(TARGETS passing_12 passing_13 LIBRARY DESTINATION ${home}/runtime/passing)
    endif()
    install(CODE "
        file(GLOB_RECURSE libraries \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${home}/runtime/lib*.so*\")
        foreach(library IN LISTS libraries)
            execute_process(COMMAND ${CMAKE_STRIP} \"\${library}\" COMMAND_ERROR_IS_FATAL ANY)
        endforeach()")
endif()
# The browser build, if app/browser.sh made one: `lanescope page` embeds it into pages.
install(CODE "
    file(GLOB for_browsers ${CMAKE_BINARY_DIR}/browser/lanescope.*)
    file(INSTALL \${for_browsers} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${home}/browser\"
         FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)")
# The manual, which the window's help names, without its animated picture: only the README uses it.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/assets/manual DESTINATION ${home} PATTERN "*.gif" EXCLUDE)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/assets/manual ${CMAKE_BINARY_DIR}/manual SYMBOLIC)
install(DIRECTORY ${packaging}/python/lanescope DESTINATION ${home}/python
        PATTERN __pycache__ EXCLUDE)
install(FILES ${packaging}/lanescope.desktop ${packaging}/lanescope-session.desktop
        DESTINATION share/applications)
install(FILES ${packaging}/lanescope.svg DESTINATION share/icons/hicolor/scalable/apps)
install(FILES ${packaging}/lanescope-mime.xml DESTINATION share/mime/packages RENAME lanescope.xml)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${LANESCOPE_NOTICES} DESTINATION share/doc/lanescope)

# Wheel, .deb and .tar.xz in build/dist (LANESCOPE_PRODUCTS).
add_custom_target(release
    COMMAND ${packaging}/own_libraries.sh
    COMMAND ${CMAKE_COMMAND} -E env LANESCOPE_BUILD=${CMAKE_BINARY_DIR}
            ${CMAKE_SOURCE_DIR}/app/browser.sh lanescope
    COMMAND ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR} # re-run to find what the script made
    COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target lanescope
    COMMAND ${Python3_EXECUTABLE} ${packaging}/release.py ${CMAKE_BINARY_DIR}
            --version ${PROJECT_VERSION} --output ${LANESCOPE_PRODUCTS}/dist
    DEPENDS lanescope USES_TERMINAL VERBATIM)
if(TARGET cuda_runtime)
    add_dependencies(release cuda_runtime)
endif()

if(LANESCOPE_TESTS)
    add_test(NAME first_start COMMAND ${CMAKE_SOURCE_DIR}/tests/first_start.sh
                                      $<TARGET_FILE:lanescope>)
    if(NOT LANESCOPE_SANITIZE)
        add_test(NAME python_module COMMAND ${CMAKE_COMMAND} -E env LANESCOPE_PYTHON=${Python3_EXECUTABLE}
            LANESCOPE_PROGRAM=${CMAKE_BINARY_DIR}/lanescope
            ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/python_module.py)
    endif()
endif()
