import { after } from 'node:test'
import { closeShared, keepShared } from '../../console/shared.ts'
import { runGroups } from '../run-groups.ts'

keepShared()
after(closeShared)
runGroups('console')
