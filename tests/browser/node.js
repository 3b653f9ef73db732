// Runs a command of the browser build under node: node tests/browser/node.js ARGUMENT….
// LANESCOPE_SITE names the folder that `lanescope page --site` wrote; LANESCOPE_NATIVE has the same
// meaning as for the desktop program. Files are in an in-memory file system.
'use strict';
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const folder = path.resolve(process.env.LANESCOPE_SITE || path.join(__dirname, '..', '..', 'build', 'site'));

require(path.join(folder, 'lanescope.js'))({
    preRun: [program => { program.ENV.LANESCOPE_NATIVE = process.env.LANESCOPE_NATIVE ?? 'warm'; }],
    print: line => process.stdout.write(line + '\n'),
    printErr: line => process.stderr.write(line + '\n'),
}).then(program => {
    program.FS.writeFile('/lanescope.files',
                         zlib.gunzipSync(fs.readFileSync(path.join(folder, 'lanescope.files'))));
    process.exitCode = program.callMain(process.argv.slice(2));
});
