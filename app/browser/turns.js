// Work that page frames interrupt (compute/threads.h): it runs on a separate stack, suspended
// through JavaScript Promise Integration and resumed by a message to itself. In browsers without
// that, work runs to its end.
addToLibrary({
    $turns__deps: ['$stackSave', '$stackRestore'],
    $turns: {
        sliceMs: 8,
        until: 0, // end of the current time slice
        isRunning: false,
        frames: 0, // the frames' stack
        channel: null,
        enter(stack) {
            turns.frames = stackSave();
            stackRestore(stack);
            turns.isRunning = true;
            turns.until = performance.now() + turns.sliceMs;
        },
        leave() {
            turns.isRunning = false;
            stackRestore(turns.frames);
        },
        pause() {
            const stack = stackSave();
            turns.leave();
            turns.channel ??= new MessageChannel();
            return new Promise(goOn => {
                turns.channel.port1.onmessage = () => {
                    turns.enter(stack);
                    goOn();
                };
                turns.channel.port2.postMessage(0);
            });
        },
    },

    turns_begin__sig: 'vpp',
    turns_begin__deps: ['$turns', '$getWasmTableEntry'],
    turns_begin: (work, stack) => {
        const run = getWasmTableEntry(work);
        if (!WebAssembly.promising) return run();
        turns.enter(stack);
        const ended = WebAssembly.promising(run)();
        if (turns.isRunning) turns.leave();
        ended.then(() => {
            if (turns.isRunning) turns.leave();
        });
    },

    turns_is_over__sig: 'i',
    turns_is_over__deps: ['$turns'],
    turns_is_over: () => turns.isRunning && performance.now() >= turns.until,

    turns_pause__sig: 'v',
    turns_pause__deps: ['$turns'],
    turns_pause: '=WebAssembly.Suspending ? new WebAssembly.Suspending(() => turns.pause()) : () => {}',
});
