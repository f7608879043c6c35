import { isNestedTooDeeply } from './nesting.ts'

/**
 * For texts from others, where invalid JSON is an expected case: returns undefined, also if it is nested so deeply that it
 * could be parsed but not be written or walked through again.
 */
export function tryParse(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return isNestedTooDeeply(text) ? undefined : parse(text)
  } catch {
    return undefined
  }
}
