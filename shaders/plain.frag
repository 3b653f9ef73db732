#version 450 core
// One colour.
uniform vec4 colour;
out vec4 result;

void main() { result = colour; }
