// What a page holds of the program is packed by LZMA, which no browser unpacks by itself, and written in
// letters: 13 bits in two of 91, from # to ~ without <.
'use strict';
function bytesOfLetters(element) {
    const text = element.textContent;
    const digit = at => {
        const code = text.charCodeAt(at);
        return code - (code > 60 ? 36 : 35);
    };
    const bytes = new Uint8Array(+element.dataset.bytes);
    let held = 0, bits = 0, at = 0;
    for (let i = 0; i + 1 < text.length; i += 2) {
        held |= (digit(i) * 91 + digit(i + 1)) << bits;
        for (bits += 13; bits >= 8; bits -= 8, held >>>= 8) bytes[at++] = held;
    }
    return bytes;
}

// The format of .lzma files, with the length in the header; names are those of the LZMA specification. Over 60
// lines: its parts are functions of their own, but inside it, as all of them read and write the range coder's state.
function unpackLzma(from) {
    let rest = from[0];
    const lc = rest % 9, lp = (rest = rest / 9 | 0) % 5, pb = rest / 5 | 0;
    const length = new DataView(from.buffer, from.byteOffset).getUint32(5, true);
    const out = new Uint8Array(length);
    const probabilities = size => new Uint16Array(size).fill(1024);
    let at = 18, range = 0xffffffff, code = 0;
    for (let i = 14; i < 18; ++i) code = (code << 8 | from[i]) >>> 0;
    const bit = (probs, index) => {
        const probability = probs[index], bound = (range >>> 11) * probability;
        let found = 0;
        if (code < bound) {
            range = bound;
            probs[index] = probability + (2048 - probability >> 5);
        } else {
            range -= bound;
            code -= bound;
            probs[index] = probability - (probability >> 5);
            found = 1;
        }
        if (range < 0x1000000) {
            range = range * 256;
            code = (code << 8 | from[at++]) >>> 0;
        }
        return found;
    };
    const tree = (probs, bits, offset = 0) => {
        let m = 1;
        for (let i = 0; i < bits; ++i) m = m << 1 | bit(probs, offset + m);
        return m - (1 << bits);
    };
    const reverse = (probs, bits, offset) => {
        let m = 1, symbol = 0;
        for (let i = 0; i < bits; ++i) {
            const b = bit(probs, offset + m);
            m = m << 1 | b;
            symbol |= b << i;
        }
        return symbol;
    };
    const direct = bits => {
        let result = 0;
        for (; bits > 0; --bits) {
            range >>>= 1;
            const b = code >= range ? 1 : 0;
            if (b) code -= range;
            result = result << 1 | b;
            if (range < 0x1000000) {
                range = range * 256;
                code = (code << 8 | from[at++]) >>> 0;
            }
        }
        return result;
    };
    const lengths = () => ({ choice: probabilities(2), low: probabilities(16 << 3),
        mid: probabilities(16 << 3), high: probabilities(256) });
    const lengthOf = (coder, posState) =>
        bit(coder.choice, 0) === 0 ? tree(coder.low, 3, posState << 3)
            : bit(coder.choice, 1) === 0 ? 8 + tree(coder.mid, 3, posState << 3)
                : 16 + tree(coder.high, 8);
    const literals = probabilities(0x300 << lc + lp);
    const isMatch = probabilities(12 << 4), isRep = probabilities(12), isRepG0 = probabilities(12);
    const isRepG1 = probabilities(12), isRepG2 = probabilities(12), isRep0Long = probabilities(12 << 4);
    const slots = [0, 1, 2, 3].map(() => probabilities(64));
    const special = probabilities(128), align = probabilities(16);
    const lenCoder = lengths(), repLenCoder = lengths();
    let state = 0, rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;
    for (let n = 0; n < length;) {
        const posState = n & (1 << pb) - 1;
        if (bit(isMatch, (state << 4) + posState) === 0) {
            const before = n > 0 ? out[n - 1] : 0;
            const base = 0x300 * (((n & (1 << lp) - 1) << lc) + (before >> 8 - lc));
            let symbol = 1;
            if (state >= 7)
                for (let matched = out[n - rep0 - 1]; symbol < 0x100;) {
                    const b = matched >> 7 & 1;
                    matched <<= 1;
                    const got = bit(literals, base + (1 + b << 8) + symbol);
                    symbol = symbol << 1 | got;
                    if (got !== b) break;
                }
            while (symbol < 0x100) symbol = symbol << 1 | bit(literals, base + symbol);
            out[n++] = symbol;
            state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
            continue;
        }
        let count;
        if (bit(isRep, state) !== 0) {
            if (bit(isRepG0, state) === 0) {
                if (bit(isRep0Long, (state << 4) + posState) === 0) {
                    state = state < 7 ? 9 : 11;
                    out[n] = out[n - rep0 - 1];
                    ++n;
                    continue;
                }
            } else {
                let distance;
                if (bit(isRepG1, state) === 0) {
                    distance = rep1;
                } else {
                    if (bit(isRepG2, state) === 0) {
                        distance = rep2;
                    } else {
                        distance = rep3;
                        rep3 = rep2;
                    }
                    rep2 = rep1;
                }
                rep1 = rep0;
                rep0 = distance;
            }
            count = lengthOf(repLenCoder, posState);
            state = state < 7 ? 8 : 11;
        } else {
            rep3 = rep2;
            rep2 = rep1;
            rep1 = rep0;
            count = lengthOf(lenCoder, posState);
            state = state < 7 ? 7 : 10;
            const slot = tree(slots[Math.min(count, 3)], 6);
            const bits = (slot >> 1) - 1;
            rep0 = slot < 4 ? slot
                : slot < 14 ? ((2 | slot & 1) << bits)
                    + reverse(special, bits, ((2 | slot & 1) << bits) - slot)
                    : (((2 | slot & 1) << bits) + (direct(bits - 4) << 4) + reverse(align, 4, 0)) >>> 0;
        }
        for (count += 2; count > 0 && n < length; --count, ++n) out[n] = out[n - rep0 - 1];
    }
    return out;
}

// The code whose operands stand apart from its instructions: app/browser/pack.py says how.
function joinCode(from) {
    const view = new DataView(from.buffer, from.byteOffset);
    const streams = 16;
    let at = 4 * (streams + 1);
    const [begin, end, operations, locals, calls, types, labels, offsets, alignments, numbers, addresses,
        longNumbers, floats, vectors, lanes, others] = Array.from({ length: streams }, (_, i) => {
        const first = at;
        at += view.getUint32(4 * (i + 1), true);
        return { at: first, bytes: from.subarray(first, at) };
    });
    const longConstant = 0xe0, naturalAlignment = [...'23230011001122332301012'];
    const maxOfNumber = 5;
    const out = new Uint8Array(view.getUint32(0, true) + 2 * maxOfNumber);
    let to = 0;
    const bytes = (stream, count) => {
        while (count-- > 0) out[to++] = from[stream.at++];
    };
    const many = (stream, count = 1) => {
        while (count-- > 0)
            while ((out[to++] = from[stream.at++]) >= 128);
    };
    const read = stream => {
        for (let value = 0, shift = 0; ; shift += 7) {
            const byte = from[stream.at++];
            value |= (byte & 127) << shift;
            if (byte < 128) return value;
        }
    };
    const put = value => {
        for (; value >= 128; value >>>= 7) out[to++] = value & 127 | 128;
        out[to++] = value;
    };
    const number = stream => {
        const value = read(stream);
        put(value);
        return value;
    };
    // What `write` writes, behind the number of its bytes.
    const counted = write => {
        const head = to, first = to += maxOfNumber;
        write();
        const last = to;
        to = head;
        put(last - first);
        out.copyWithin(to, first, last);
        to += last - first;
    };
    const vector = code => {
        const isLane = code >= 84 && code <= 91;
        if (code < 12 || code === 92 || code === 93 || isLane) many(lanes, 2);
        if (code === 12 || code === 13) bytes(lanes, 16);
        if (code >= 21 && code <= 34 || isLane) bytes(lanes, 1);
    };
    const codeOfFunction = () => {
        for (let kinds = number(others); kinds > 0; --kinds) {
            many(others);
            bytes(others, 1);
        }
        const recent = [];
        for (let depth = 0; depth >= 0;) {
            const code = from[operations.at++];
            out[to++] = code === longConstant ? 0x41 : code;
            switch (code) {
            case 0x02: case 0x03: case 0x04: case 0x06: ++depth; many(types); break;
            case 0x0b: --depth; break;
            case 0x18: --depth; many(labels); break;
            case 0x07: case 0x08: case 0x09: case 0x0c: case 0x0d: many(labels); break;
            case 0x0e: many(labels, number(labels) + 1); break;
            case 0x10: many(calls); break;
            case 0x11: many(types, 2); break;
            case 0x20: case 0x21: case 0x22: {
                const place = read(locals);
                while (recent.length <= place) recent.push(recent.length);
                const local = recent[place];
                recent.copyWithin(1, 0, place);
                put(recent[0] = local);
                break;
            }
            case 0x23: case 0x24: case 0x3f: case 0x40: case 0xd2: many(others); break;
            case 0x41: many(numbers); break;
            case longConstant: many(addresses); break;
            case 0x42: many(longNumbers); break;
            case 0x43: bytes(floats, 4); break;
            case 0x44: bytes(floats, 8); break;
            case 0x1c: bytes(others, number(others)); break;
            case 0xfc: many(others, [2, 1, 2, 1][number(others) - 8] ?? 0); break;
            case 0xfd: vector(number(vectors)); break;
            default:
                if (code >= 0x28 && code <= 0x3e) {
                    out[to++] = from[alignments.at++] ^ naturalAlignment[code - 0x28];
                    many(offsets);
                }
            }
        }
    };
    bytes(begin, begin.bytes.length);
    out[to++] = 10; // the section of code
    counted(() => {
        for (let functions = number(others); functions > 0; --functions) counted(codeOfFunction);
    });
    bytes(end, end.bytes.length);
    return out.subarray(0, to);
}
