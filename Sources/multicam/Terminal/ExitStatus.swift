/// The exit statuses of the process.
enum ExitStatus: Int32, Error {
    case done = 0
    case failed = 1
    case usage = 2
    case deviceMissing = 3
    case noPermission = 4
    case overBudget = 5
    case lossesBeyondLimit = 6
    case storageFailed = 7
    case aborted = 130
}
