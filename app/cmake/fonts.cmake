# Finds the fonts that are embedded in the program: LANESCOPE_FONTS lists them as
# name.ending=file, for Inter and JetBrains Mono. On systems that ship Inter as one variable font,
# its regular weight also replaces the bold one.
function(lanescope_find_font name)
    if(NOT EXISTS "${LANESCOPE_FONT_${name}}")
        set(found "")
        foreach(folder /usr/share/fonts /usr/local/share/fonts $ENV{HOME}/.local/share/fonts
                       $ENV{HOME}/.fonts)
            foreach(spelling IN LISTS name ARGN)
                if(NOT found)
                    file(GLOB_RECURSE found ${folder}/${spelling}.ttf ${folder}/${spelling}.otf)
                endif()
            endforeach()
        endforeach()
        if(NOT found)
            message(FATAL_ERROR "No font ${name}. Install Inter and JetBrains Mono (on Debian "
                                "fonts-inter and fonts-jetbrains-mono), or name the file: "
                                "-DLANESCOPE_FONT_${name}=FILE.")
        endif()
        list(GET found 0 found)
        set(LANESCOPE_FONT_${name} ${found} CACHE FILEPATH "The font ${name}" FORCE)
    endif()
    cmake_path(GET LANESCOPE_FONT_${name} EXTENSION LAST_ONLY ending)
    set(LANESCOPE_FONTS ${LANESCOPE_FONTS} ${name}${ending}=${LANESCOPE_FONT_${name}} PARENT_SCOPE)
endfunction()

set(LANESCOPE_FONTS "")
lanescope_find_font(Inter-Regular InterVariable Inter)
lanescope_find_font(Inter-Bold InterVariable Inter)
lanescope_find_font(JetBrainsMono-Regular)
