import { signal } from '@preact/signals'

/** What the part of the address behind the `#` names: an operation, a chapter or an error. */
export const place = signal(placeOf(location.hash))

/** Chapters that only the page without scripts has. */
const IN_TEXT = ['streaming', 'receivers', 'failures', 'schemas']

addEventListener('hashchange', follow)
follow()

function follow(): void {
  const wanted = placeOf(location.hash)
  if (IN_TEXT.includes(wanted)) location.replace(`docs/text#${wanted}`)
  else place.value = wanted
}

function placeOf(hash: string): string {
  return hash.slice(1) || 'start'
}
