import type { OpenApiDocument, Operation } from '../../src/contract/openapi/document.ts'

/** Finds the operation of the document that a request is for, by the templates of its paths. The address is a documented one. */
export function operationFinder({ paths }: OpenApiDocument) {
  const known = Object.entries(paths).map(([path, operations]) => ({ path, pattern: patternOf(path), operations }))
  // As in the router, a fixed path comes before one with parameters, and a method behind a name before the name alone.
  known.sort(
    (one, other) => parametersIn(one.path) - parametersIn(other.path) || fixedIn(other.path) - fixedIn(one.path),
  )
  return (method: string, url: string): Operation | undefined => {
    const path = pathOf(url)
    const found = known.find(({ pattern }) => pattern.test(path))
    return found?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
  }
}

function parametersIn(path: string): number {
  return path.split('{').length
}

function fixedIn(path: string): number {
  return path.replace(/\{\w+\}/g, '').length
}

/** The name of a model or of an alias may contain slashes. */
function patternOf(path: string): RegExp {
  const escaped = path.replaceAll('.', '\\.')
  return new RegExp(`^${escaped.replace(/\{(model|alias)\}/, '.+').replace(/\{\w+\}/g, '[^/]+')}$`, 's')
}

/** Clients may write the whole address, and may encode any character. */
function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/, 1)[0]!
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
