import { runGroups } from './run-groups.ts'

runGroups('operators', 'chat')
