import { styleText } from 'node:util'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string

type Output = { isTTY?: boolean; hasColors?(): boolean }

/** Colours are for terminals that have them. `hasColors` respects NO_COLOR, FORCE_COLOR and TERM=dumb. */
export function paintFor(output: Output): Paint {
  const isColourful = Boolean(output.isTTY) && output.hasColors?.() === true
  if (!isColourful) return (_style, text) => text
  return (style, text) => (text === '' ? '' : styleText(style, text, { validateStream: false }))
}
