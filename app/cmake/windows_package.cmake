# Third-party notices and the package of the program for Windows: a zip in build/dist that runs
# where it is unpacked.
set(LANESCOPE_NOTICES ${CMAKE_BINARY_DIR}/generated/NOTICES.txt)
set(host_notices ${LANESCOPE_HOST_BUILD}/generated/NOTICES.txt)
set(runtime_notices /usr/share/doc/mingw-w64-common/copyright) # linked statically
add_custom_command(
    OUTPUT ${LANESCOPE_NOTICES}
    COMMAND sh -c "{ cat '${host_notices}'; printf '\\n======== mingw-w64 runtime\\n\\n'; cat '${runtime_notices}'; } > '${LANESCOPE_NOTICES}'"
    DEPENDS ${host_notices} ${runtime_notices} VERBATIM)
add_custom_target(notices DEPENDS ${LANESCOPE_NOTICES})

function(lanescope_windows_package)
    set(name lanescope-${PROJECT_VERSION}-windows-x86_64)
    set(folder ${CMAKE_BINARY_DIR}/package/${name})
    set(zip ${LANESCOPE_PRODUCTS}/dist/${name}.zip)
    add_custom_target(windows_packages
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/package
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/python ${LANESCOPE_PRODUCTS}/dist
        COMMAND ${CMAKE_STRIP} -o ${folder}/lanescope.exe $<TARGET_FILE:lanescope>
        COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/LICENSE ${LANESCOPE_NOTICES} ${folder}
        COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/assets/manual ${folder}/manual
        COMMAND sh -c "rm -f '${folder}'/manual/*.gif"
        COMMAND ${CMAKE_COMMAND} -E copy_directory
                ${CMAKE_SOURCE_DIR}/app/packaging/python/lanescope ${folder}/python/lanescope
        COMMAND sh -c "rm -rf '${folder}'/python/lanescope/__pycache__"
        COMMAND ${CMAKE_COMMAND} -E rm -f ${zip}
        COMMAND ${CMAKE_COMMAND} -E chdir ${CMAKE_BINARY_DIR}/package
                ${CMAKE_COMMAND} -E tar cf ${zip} --format=zip ${name}
        DEPENDS lanescope VERBATIM)
endfunction()
