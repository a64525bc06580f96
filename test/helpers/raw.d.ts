declare module "*?raw" {
  /** The text of a file. */
  const text: string;
  // biome-ignore lint/style/noDefaultExport: this is how Vite hands it over.
  export default text;
}
