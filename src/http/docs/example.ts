import type { Content } from '../openapi/shape.ts'
import { code } from './elements.ts'
import type { Html } from './markup.ts'

/** The first example that is an object; without one, an empty object. */
export function exampleOf(content: Content = {}): object {
  const example = Object.values(content).find(({ example }) => example !== undefined)?.example
  return typeof example === 'object' && example !== null ? example : {}
}
