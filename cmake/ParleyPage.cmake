# The web page: web/ made into a few files by its own builder. Sets PARLEY_PAGE_FOLDER, where they
# are, and PARLEY_PAGE_FILES, all of them.
find_program(NODE node)
find_program(NPM npm)
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR "the web page needs node and npm; install them, or configure with "
    "-DPARLEY_PAGE=OFF to build without it")
endif()

set(PARLEY_PAGE_FOLDER ${PROJECT_BINARY_DIR}/page)
set(PARLEY_PAGE_FILES "")
foreach(file index.html app.js app.css sw.js manifest.webmanifest icon.svg icon-192.png icon-512.png
    icon-maskable.png apple-touch-icon.png)
  list(APPEND PARLEY_PAGE_FILES ${PARLEY_PAGE_FOLDER}/${file} ${PARLEY_PAGE_FOLDER}/${file}.gz)
endforeach()

file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*)
add_custom_command(
  OUTPUT ${PARLEY_PAGE_FILES}
  COMMAND ${PROJECT_SOURCE_DIR}/tools/npm.sh web
  COMMAND ${NODE} web/build.mjs ${PARLEY_PAGE_FOLDER}
  DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/web/build.mjs
    ${PROJECT_SOURCE_DIR}/web/package-lock.json ${PROJECT_SOURCE_DIR}/web/tsconfig.json
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "Building the web page"
  VERBATIM)
add_custom_target(page DEPENDS ${PARLEY_PAGE_FILES})
