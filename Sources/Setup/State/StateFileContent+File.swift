internal import FoundationEssentials

extension StateFileContent {
    /// The file that stores this content for the user of this process; `nil` when that user has no folder for it.
    package static var file: StateFile<Self>? { StateFile(environment: ProcessInfo.processInfo.environment) }
}
