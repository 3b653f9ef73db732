# LIBRARY's functions and those that the file MORE names, as FUNCTION(name) lines in OUTPUT, written only
# where they have changed.
execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE lines
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(__)?cuda[A-Za-z0-9_]+[^ \n]* [TW] " names "${lines}")
if(NOT names)
    message(FATAL_ERROR "${LIBRARY} has no functions of the CUDA runtime.")
endif()
file(STRINGS ${MORE} more REGEX "^cuda")
list(APPEND names ${more})
list(TRANSFORM names REPLACE "^([A-Za-z0-9_]+).*$" "FUNCTION(\\1)\n")
list(REMOVE_DUPLICATES names)
list(JOIN names "" text)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
