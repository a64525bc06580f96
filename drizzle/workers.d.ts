/**
 * What the Worker uses of its runtime and Node does not have: tools of this project read the Worker's
 * modules with Node's types.
 */
declare class IdentityTransformStream extends TransformStream<Uint8Array, Uint8Array> {}
