import { runGroups } from './run-groups.ts'

runGroups('surface', 'rest', 'net')
