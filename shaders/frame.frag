// Colours a vertex by its value, or a pixel by the texture.
out vec4 result;
#ifdef VERTICES
in float value;

void main() { result = vec4(vec3(value), 1.0); }
#else
uniform sampler2D image;
in vec2 at;

void main() { result = texture(image, at); }
#endif
