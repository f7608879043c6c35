import type { Route } from '../route.ts'
import type { OpenApiDocument } from '../../contract/openapi/document.ts'

/** The tags, in the order of the docs page. */
const AREAS = [
  ...[
    'Chat',
    'Images',
    'Universal tasks',
    'Files',
    'Models',
    'Tokens',
    'Tools',
    'Coding agents',
    'Management',
    'Health',
    'Docs',
    'Admin',
  ],
]
const OF_AGENTS = /^\/v3\/(?:claude|device)(?:\/|$)/
const OF_MCP = /^\/(?:v3\/mcp|\.well-known\/oauth-)/
const AREA_OF_SCOPE: Record<NonNullable<Route['scope']>, string> = {
  chat: 'Chat',
  images: 'Images',
  universal: 'Universal tasks',
  files: 'Files',
  models: 'Models',
  tokens: 'Tokens',
  mcp: 'Tools',
}

export function tagsOf(areas: string[]): OpenApiDocument['tags'] {
  return AREAS.filter((area) => areas.includes(area)).map((name) => ({ name }))
}

export function areaOf({ scope, access, path }: Route): string {
  if (access === 'admin' || path === '/metrics') return 'Admin'
  if (access === 'manage') return 'Management'
  if (OF_AGENTS.test(path)) return 'Coding agents'
  if (OF_MCP.test(path)) return 'Tools'
  if (scope) return AREA_OF_SCOPE[scope]
  return path.startsWith('/health/') ? 'Health' : 'Docs'
}
