/**
 * The runtime APIs that the Worker uses and that Node lacks. The project's tools compile the
 * Worker's modules with Node's types.
 */
declare class IdentityTransformStream extends TransformStream<Uint8Array, Uint8Array> {}
