import { createRequire } from 'node:module'

/** The data folder of the package `pdfjs-dist`, which unpdf does not contain; undefined if it is not installed. */
export function pdfjsData(folder: 'cmaps' | 'wasm'): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve('pdfjs-dist/package.json')
    return file.replace(/package\.json$/, `${folder}/`)
  } catch {
    return undefined
  }
}
