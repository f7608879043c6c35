import { runGroups } from '../run-groups.ts'

runGroups('stores')
