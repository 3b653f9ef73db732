# Third-party notices and the packages of the program for Windows in build/dist: a zip that runs where
# it is unpacked, and a wheel.
set(LANESCOPE_NOTICES ${CMAKE_BINARY_DIR}/generated/NOTICES.txt)
set(host_notices ${LANESCOPE_HOST_BUILD}/generated/NOTICES.txt)
set(runtime_notices /usr/share/doc/mingw-w64-common/copyright) # linked statically
add_custom_command(
    OUTPUT ${LANESCOPE_NOTICES}
    COMMAND sh -c "{ cat '${host_notices}'; printf '\\n======== mingw-w64 runtime\\n\\n'; cat '${runtime_notices}'; } > '${LANESCOPE_NOTICES}'"
    DEPENDS ${host_notices} ${runtime_notices} VERBATIM)
add_custom_target(notices DEPENDS ${LANESCOPE_NOTICES})

function(lanescope_windows_package)
    set(folder ${CMAKE_BINARY_DIR}/package/lanescope-${PROJECT_VERSION}-windows-x86_64)
    set(module ${CMAKE_SOURCE_DIR}/app/packaging/python/lanescope)
    # The program for browsers, if app/browser.sh made it: `lanescope page` embeds it into pages.
    set(for_browsers ${LANESCOPE_HOST_BUILD}/browser)
    add_custom_target(windows_packages
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/package
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/python ${folder}/browser
        COMMAND ${CMAKE_STRIP} -o ${folder}/lanescope.exe $<TARGET_FILE:lanescope>
        COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/LICENSE ${LANESCOPE_NOTICES} ${folder}
        COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/assets/manual ${folder}/manual
        COMMAND sh -c "rm -f '${folder}'/manual/*.gif"
        COMMAND sh -c "cp '${for_browsers}'/lanescope.* '${folder}/browser' 2>/dev/null || true"
        COMMAND ${CMAKE_COMMAND} -E copy_directory ${module} ${folder}/python/lanescope
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/app/packaging/windows/packages.py ${folder}
                --version ${PROJECT_VERSION} --output ${LANESCOPE_PRODUCTS}/dist
        DEPENDS lanescope VERBATIM)
endfunction()
