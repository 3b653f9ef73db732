// Particles that fly and bounce, an array of structures.
struct Particle {
    float x, y;
    float vx, vy;
    int bounces;
};

__global__ void moveParticles(Particle* particles, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    Particle p = particles[i];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    if (p.y < 0.0f) {
        p.y = -p.y;
        p.vy = -p.vy;
        ++p.bounces;
    }
    particles[i] = p;
}
