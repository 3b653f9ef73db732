// Bars: each column of pixels asks for the highest of the bars that it covers.
uniform usamplerBuffer counts;
uniform int count;
uniform vec4 inside;   // left, bottom, width, height in pixels
uniform float per_high; // 1 / the value of full height
uniform vec4 colour;
out vec4 result;

const int max_per_pixel = 64;

void main()
{
    vec2 at = (gl_FragCoord.xy - inside.xy) / inside.zw;
    float bars_per_px = float(count) / inside.z;
    int first = clamp(int((at.x - 0.5 / inside.z) * float(count)), 0, count - 1);
    int covered = clamp(int(ceil(bars_per_px)), 1, max_per_pixel);
    uint highest = 0u;
    if (bars_per_px < 1.0) {
        float place = at.x * float(count);
        int bar = clamp(int(place), 0, count - 1);
        // A gap between bars that are wide enough for one.
        if (bars_per_px < 0.25 && fract(place) > 1.0 - bars_per_px) discard;
        highest = element(counts, bar).r;
    } else {
        for (int i = 0; i < covered; ++i)
            highest = max(highest, element(counts, min(first + i, count - 1)).r);
    }
    if (at.y > float(highest) * per_high) discard;
    result = colour;
}
