// What an account may do with others, as the service decides it.

/** @typedef {{ id: number, is_master?: number, is_admin: number }} Account */

/** Whether it can have resellers. @param {Account} self */
export const canHaveBelow = (self) => !!self.is_master || !!self.is_admin

/** Whether it may add and take back credits, and block: accounts below it, never itself, never an admin. @param {Account} self @param {Account} other */
export const canManage = (self, other) => canHaveBelow(self) && other.id !== self.id && !other.is_admin
