import { runGroups } from '../run-groups.ts'

runGroups('worst-case')
