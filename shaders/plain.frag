// A single colour.
uniform vec4 colour;
out vec4 result;

void main() { result = colour; }
