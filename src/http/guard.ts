import { requireActor } from './admin/admin-auth.ts'
import { requireKey } from './auth.ts'
import { requireManagementKey } from './admin/management-auth.ts'
import type { HttpServices, Route } from './route.ts'

/**
 * What decides before the body is read whether a caller may use a route. It is the same for all methods of a path: a caller who may
 * use one of them may see which ones there are.
 */
export function guardOf(route: Guarded, services: HttpServices) {
  const { access, permission, manages } = route
  if (access === 'open') return []
  if (access === 'manage') return requireManagementKey(services, manages)
  return access === 'admin' ? requireActor(services, permission) : requireKey(services, route)
}

type Guarded = Pick<Route, 'access' | 'scope' | 'stores' | 'isUnguarded' | 'permission' | 'manages'>
