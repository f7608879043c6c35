import type { Route } from '../route.ts'
import { guidesFor } from '../docs/guides.ts'
import { areaOf, tagsOf } from './areas.ts'
import { errorComponents, listenerErrors } from './errors.ts'
import { headerComponents, securitySchemes } from './headers.ts'
import { operationOf } from './operation.ts'
import type { OpenApiDocument, Schemas } from '../../contract/openapi/document.ts'

const INFO = {
  title: 'Gatehouse',
  version: '3.0.0',
  summary: 'One authenticated HTTP API in front of many AI providers.',
  description:
    'Gatehouse speaks the chat-completions wire format, so existing clients work: give them the base URL and a key, ' +
    'and name models as `provider/model`. The model `sandbox/echo` is simulated, free and needs no account anywhere: it ' +
    'answers with the text that it was sent.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

/** Describes the registered routes and nothing else. */
export function openapiDocument(routes: readonly Route[]): OpenApiDocument {
  // Printing the schemas fills this, so it is read last.
  const schemas: Schemas = {}
  const paths = pathsOf(routes, schemas)
  const responses = errorComponents(routes, schemas)
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: tagsOf(routes.map(areaOf)),
    paths,
    components: {
      responses,
      schemas: sorted(schemas),
      headers: headerComponents(),
      securitySchemes: securitySchemes(routes),
    },
    'x-guides': guidesFor(paths),
  }
}

function pathsOf(routes: readonly Route[], schemas: Schemas): OpenApiDocument['paths'] {
  const paths: OpenApiDocument['paths'] = {}
  const ofListener = listenerErrors(routes)
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = operationOf(route, ofListener, schemas)
  }
  return paths
}

function sorted(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}
