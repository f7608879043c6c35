import { modelListRoute } from '../../model-list-route.ts'
import type { Route } from '../../route.ts'

export default { ...modelListRoute('/v3/images', 'image', 'image models'), scope: 'images' } satisfies Route
