# Lists the functions of LIBRARIES (a,b) as FUNCTION(name) lines in OUTPUT, which is only written if it
# changes.
string(REPLACE "," ";" libraries "${LIBRARIES}")
set(all "")
foreach(library IN LISTS libraries)
    execute_process(COMMAND ${NM} -D --defined-only --format=posix ${library} OUTPUT_VARIABLE lines
                    COMMAND_ERROR_IS_FATAL ANY)
    # 'i' marks an ifunc, which the loader resolves.
    string(REGEX MATCHALL "(__)?cuda[A-Za-z0-9_]+[^ \n]* [TWi] " names "${lines}")
    if(NOT names)
        message(FATAL_ERROR "${library} has no functions of the CUDA runtime.")
    endif()
    list(APPEND all ${names})
endforeach()
list(TRANSFORM all REPLACE "^([A-Za-z0-9_]+).*$" "FUNCTION(\\1)\n")
list(REMOVE_DUPLICATES all)
list(JOIN all "" text)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
