import { createProject } from '../../tenants/projects/projects.ts'
import { servicesAt, type Demo } from './demo.ts'
import { HOUR_MS } from '../../base/units/units.ts'

const PROJECTS = [
  { id: 'support', name: 'Customer support' },
  { id: 'search', name: 'Search' },
  { id: 'research', name: 'Research' },
  { id: 'marketing', name: 'Marketing' },
  { id: 'legal', name: 'Legal, EU only', region: 'eu' as const },
]

export async function addProjects(demo: Demo): Promise<number> {
  const keyCache = { refresh: async () => undefined }
  for (const [index, project] of PROJECTS.entries())
    await createProject(project, { ...servicesAt(demo, demo.from + HOUR_MS + index * 90_000), keyCache })
  return PROJECTS.length
}
