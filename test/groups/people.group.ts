import { runGroups } from './run-groups.ts'

runGroups('people', 'storage', 'dialects')
