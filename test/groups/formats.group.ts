import { runGroups } from './run-groups.ts'

runGroups('formats', 'answers', 'tasks', 'features')
