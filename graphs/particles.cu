// The steps of particles.leat: balls that fall and bounce.

struct Ball
{
  float place[3], velocity[3];
  float mass;
  unsigned char bounces;
};

struct World
{
  float dt, gravity, floor, keeps;
};

// Each ball goes its way by itself; it keeps a part of its speed when it bounces.
__global__ void
fall (const Ball *balls, Ball *moved, uint64_t balls_count, World world, int steps)
{
  GRID_FOR (i, balls_count)
    {
      Ball ball = balls[i];

      for (int step = 0; step < steps; step++)
        {
          ball.velocity[1] -= world.gravity * world.dt;
          for (int axis = 0; axis < 3; axis++)
            ball.place[axis] += ball.velocity[axis] * world.dt;
          if (ball.place[1] >= world.floor)
            continue;
          ball.place[1] = world.floor;
          ball.velocity[1] = -world.keeps * ball.velocity[1];
          ball.bounces++;
        }
      moved[i] = ball;
    }
}
