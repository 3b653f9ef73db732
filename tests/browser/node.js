// Runs a command of the program built for browsers under node: node tests/browser/node.js ARGUMENT….
// LANESCOPE_BROWSER names the build's folder. Files are those of a memory of its own.
'use strict';
const path = require('path');
const folder = process.env.LANESCOPE_BROWSER ||
    path.join(__dirname, '..', '..', 'build', 'browser');

require(path.join(path.resolve(folder), 'lanescope.js'))({
    print: line => process.stdout.write(line + '\n'),
    printErr: line => process.stderr.write(line + '\n'),
}).then(program => {
    process.exitCode = program.callMain(process.argv.slice(2));
});
