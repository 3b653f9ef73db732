# Makes FOLDER from EXECUTABLES (stripped) and every shared library that they load, except the C
# library, which must be the machine's own. OpenGL, EGL and the CUDA driver are opened when the
# program runs and are always the machine's. Run by the `bundle` target, in script mode.
file(GET_RUNTIME_DEPENDENCIES
     EXECUTABLES ${EXECUTABLES}
     RESOLVED_DEPENDENCIES_VAR libraries
     UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so")
if(missing)
    message(FATAL_ERROR "The bundle would lack ${missing}. Install the packages that have them.")
endif()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/lib)
foreach(library IN LISTS libraries)
    # The file goes under the name that is asked for (libX.so.6), not under its own (libX.so.6.4.0).
    get_filename_component(name ${library} NAME)
    get_filename_component(real ${library} REALPATH)
    execute_process(COMMAND ${STRIP} -o ${FOLDER}/lib/${name} ${real} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(executable IN LISTS EXECUTABLES)
    get_filename_component(name ${executable} NAME)
    execute_process(COMMAND ${STRIP} -o ${FOLDER}/${name} ${executable} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
message(STATUS "Bundle: ${FOLDER}")
