import { createRequire } from 'node:module'

/** Where the package `pdfjs-dist` has its data, which unpdf comes without; undefined where it is not installed. */
export function pdfjsData(folder: 'cmaps' | 'wasm'): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve('pdfjs-dist/package.json')
    return file.replace(/package\.json$/, `${folder}/`)
  } catch {
    return undefined
  }
}
