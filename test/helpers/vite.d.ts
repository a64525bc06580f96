declare module "*?raw" {
  /** The text of a file. */
  const text: string;
  // biome-ignore lint/style/noDefaultExport: this is how Vite hands it over.
  export default text;
}

interface ImportMeta {
  /** What files export, by path; Vite resolves the pattern when it loads the file. */
  glob<Export>(
    pattern: string,
    options: { eager: true; import: string; query?: "?raw" },
  ): Readonly<Record<string, Export>>;
}
