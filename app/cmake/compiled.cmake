# The libraries of dependencies.cmake for systems that have no packages of them: compiled from the
# sources in LANESCOPE_SOURCES, a folder each, that app/browser.sh or app/windows.sh fetched. CUDA's
# headers come from a build for this machine (LANESCOPE_HOST_BUILD).
set(LANESCOPE_SOURCES "" CACHE PATH "Sources of libraries, a folder each")
set(LANESCOPE_HOST_BUILD "" CACHE PATH "A build for this machine")
if(NOT EXISTS ${LANESCOPE_SOURCES}/freetype OR NOT EXISTS ${LANESCOPE_HOST_BUILD}/CMakeCache.txt)
    message(FATAL_ERROR "Run app/browser.sh or app/windows.sh, which name both.")
endif()
load_cache(${LANESCOPE_HOST_BUILD} READ_WITH_PREFIX HOST_ CUDAToolkit_BIN_DIR)

function(lanescope_headers target)
    add_library(${target} INTERFACE)
    target_include_directories(${target} SYSTEM INTERFACE ${ARGN})
endfunction()
function(lanescope_compiled target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;INCLUDE;DEFINE")
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} SYSTEM PUBLIC ${arg_INCLUDE})
    target_compile_definitions(${target} PUBLIC ${arg_DEFINE})
    target_compile_options(${target} PRIVATE -w)
endfunction()

set(from ${LANESCOPE_SOURCES})
lanescope_headers(fmt_static ${from}/fmtlib/include)
target_compile_definitions(fmt_static INTERFACE FMT_HEADER_ONLY)
lanescope_headers(json ${from}/nlohmann-json3/include)
add_library(nlohmann_json::nlohmann_json ALIAS json)
lanescope_headers(cli11 ${from}/cli11/include)
add_library(CLI11::CLI11 ALIAS cli11)
lanescope_headers(glm ${from}/glm)
add_library(glm::glm ALIAS glm)
lanescope_headers(stb ${from}/libstb)
file(GLOB zlib_sources ${from}/zlib/*.c)
list(FILTER zlib_sources EXCLUDE REGEX "/gz[a-z]+\\.c$") # gzip file I/O
lanescope_compiled(zlib SOURCES ${zlib_sources} INCLUDE ${from}/zlib)
add_library(ZLIB::ZLIB ALIAS zlib)
lanescope_compiled(spng SOURCES ${from}/libspng/spng/spng.c INCLUDE ${from}/libspng/spng
                   DEFINE SPNG_STATIC)
target_link_libraries(spng PUBLIC zlib)
add_library(PkgConfig::spng ALIAS spng)
lanescope_compiled(md4c SOURCES ${from}/md4c/src/md4c.c INCLUDE ${from}/md4c/src)
file(GLOB muparser_sources ${from}/muparser/src/*.cpp)
list(FILTER muparser_sources EXCLUDE REGEX "Test\\.cpp$")
lanescope_compiled(muparser SOURCES ${muparser_sources} INCLUDE ${from}/muparser/include
                   DEFINE ${LANESCOPE_MUPARSER_DEFINE})

# FreeType with the modules that Inter and JetBrains Mono need.
set(modules "")
foreach(module IN ITEMS "FT_Module_Class, autofit_module_class" "FT_Driver_ClassRec, tt_driver_class"
        "FT_Driver_ClassRec, cff_driver_class" "FT_Module_Class, psaux_module_class"
        "FT_Module_Class, psnames_module_class" "FT_Module_Class, pshinter_module_class"
        "FT_Module_Class, sfnt_module_class" "FT_Renderer_Class, ft_smooth_renderer_class"
        "FT_Renderer_Class, ft_raster1_renderer_class")
    string(APPEND modules "FT_USE_MODULE(${module})\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/freetype_modules.h CONTENT "${modules}")
file(READ ${from}/freetype/include/freetype/config/ftoption.h options)
foreach(option IN ITEMS FT_CONFIG_OPTION_USE_LZW FT_CONFIG_OPTION_USE_ZLIB FT_CONFIG_OPTION_MAC_FONTS
        FT_CONFIG_OPTION_ADOBE_GLYPH_LIST FT_CONFIG_OPTION_SVG FT_CONFIG_OPTION_ENVIRONMENT_PROPERTIES
        TT_CONFIG_OPTION_EMBEDDED_BITMAPS TT_CONFIG_OPTION_COLOR_LAYERS TT_CONFIG_OPTION_BDF
        TT_CONFIG_OPTION_GX_VAR_SUPPORT AF_CONFIG_OPTION_CJK AF_CONFIG_OPTION_INDIC)
    string(REGEX REPLACE "#define +${option}\n" "\n" options "${options}")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/freetype_options.h CONTENT "${options}" @ONLY)
set(freetype_sources autofit/autofit cff/cff psaux/psaux pshinter/pshinter psnames/psnames raster/raster
    sfnt/sfnt smooth/smooth truetype/truetype base/ftbase base/ftbitmap base/ftdebug base/ftglyph
    base/ftinit base/ftmm base/ftsynth base/ftsystem)
list(TRANSFORM freetype_sources REPLACE "(.+)" "${from}/freetype/src/\\1.c")
lanescope_compiled(freetype SOURCES ${freetype_sources} INCLUDE ${from}/freetype/include
                   DEFINE "FT_CONFIG_MODULES_H=\"${CMAKE_BINARY_DIR}/generated/freetype_modules.h\""
                          "FT_CONFIG_OPTIONS_H=\"${CMAKE_BINARY_DIR}/generated/freetype_options.h\"")
target_compile_definitions(freetype PRIVATE FT2_BUILD_LIBRARY)
add_library(Freetype::Freetype ALIAS freetype)

set(imgui_SOURCE_DIR ${CMAKE_SOURCE_DIR}/.deps/imgui)
lanescope_compiled(imgui SOURCES ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp
    ${imgui_SOURCE_DIR}/imgui_tables.cpp ${imgui_SOURCE_DIR}/imgui_widgets.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp
    ${imgui_SOURCE_DIR}/misc/freetype/imgui_freetype.cpp
    ${imgui_SOURCE_DIR}/misc/cpp/imgui_stdlib.cpp
    INCLUDE ${imgui_SOURCE_DIR} ${imgui_SOURCE_DIR}/backends
    DEFINE IMGUI_ENABLE_FREETYPE IMGUI_DISABLE_OBSOLETE_FUNCTIONS ${LANESCOPE_IMGUI_DEFINE}
           GLFW_INCLUDE_NONE)
target_link_libraries(imgui PUBLIC glfw PRIVATE freetype)

