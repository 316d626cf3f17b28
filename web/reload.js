// Only in the development page: reloads as soon as `cargo xtask serve` has finished a build.
new EventSource('./events').addEventListener('build', () => location.reload());
