import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Links of written pages that lead to no page of the folder, or to no place in it. */
export async function brokenTargets(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.html'))
  const texts = new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  )
  const places = new Map([...texts].map(([name, text]) => [name, valuesOf(text, 'id')]))
  return [...texts].flatMap(([name, text]) =>
    [...valuesOf(text, 'href')]
      .filter((href) => !/^https?:|^style\.css$/.test(href))
      .filter((href) => {
        const [file = '', place] = href.split('#')
        const found = places.get(file === '' ? name : file)
        return !found || (place !== undefined && !found.has(place))
      })
      .map((href) => `${name}: ${href}`),
  )
}

function valuesOf(html: string, attribute: string): Set<string> {
  return new Set(Array.from(html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g')), ([, value]) => value!))
}
