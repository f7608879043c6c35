import type { Route } from '../route.ts'

export const openapi: Route = { method: 'GET', path: '/openapi.json', access: 'open', summary: 'OpenAPI', replies: {}, handle: () => ({}) }
export const docs: Route = { method: 'GET', path: '/docs', access: 'open', summary: 'Docs', replies: {}, handle: () => '' }
