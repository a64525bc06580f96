declare module "*?raw" {
  /** The text of a file. */
  const text: string;
  // biome-ignore lint/style/noDefaultExport: Vite exports the text as the default.
  export default text;
}

interface ImportMeta {
  /** Returns the exports of files, by path; Vite resolves the pattern when it loads the file. */
  glob<Export>(
    pattern: string,
    options: { eager: true; import: string; query?: "?raw" },
  ): Readonly<Record<string, Export>>;
}
