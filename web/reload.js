// Only in the development page: shows the next build as soon as `cargo xtask serve` has made it.
new EventSource('./events').addEventListener('build', () => location.reload());
