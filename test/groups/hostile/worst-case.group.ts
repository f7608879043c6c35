import { runGroup } from '../run-group.ts'

runGroup('worst-case')
