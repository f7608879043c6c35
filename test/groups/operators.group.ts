import { runGroups } from './run-groups.ts'

runGroups('operators', 'net', 'dialects')
