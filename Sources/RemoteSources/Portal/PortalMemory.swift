internal import FileSystem
internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// What desktops gave so that the same screen is shared again without a dialog: a word for each selector, good for one time. They are kept
/// in `screens.json` of the state folder, which this user alone reads, and which is read anew before it is written: other processes may have
/// written it. Safe to use from any thread.
final class PortalMemory: Sendable {
    private struct Content: Codable {
        var schema = PortalMemory.schema
        var tokens: [String: String] = [:]
    }

    private let path: String?
    private let content: ConditionLock<Content>

    private static let schema = 1

    /// Reads what was kept. A file that cannot be read is as none: the desktop asks again.
    ///
    /// - Parameter environment: The process's variables, which name the folder.
    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        path = StateFolder.path(environment).map { $0 + "/screens.json" }
        content = ConditionLock(Content())
        content.withLock { read(into: &$0) }
    }

    /// Reads what the file has now.
    private func read(into content: inout Content) {
        guard let path, let bytes = FileManager.default.contents(atPath: path) else { return }
        do {
            let read = try JSONText.decoder().decode(Content.self, from: bytes)
            if read.schema == Self.schema { content = read }
        } catch {
            // As no file: the desktop asks again, and what it gives replaces this one.
        }
    }

    /// What a desktop gave for a screen; `nil` where there is nothing, or something that no portal takes: they give UUIDs.
    func token(of screen: ScreenAddress) -> String? {
        content.withLock { $0.tokens[screen.shareName] }.flatMap { UUID(uuidString: $0) == nil ? nil : $0 }
    }

    /// Keeps what a desktop gave, in place of what it gave before, which is used up. Where it cannot be kept, the desktop asks again.
    ///
    /// - Parameters:
    ///   - token: What it gave; `nil` where it gave nothing.
    ///   - screen: The screen.
    func keep(_ token: String?, of screen: ScreenAddress) {
        content.withLock { content in
            read(into: &content)
            guard content.tokens[screen.shareName] != token else { return }
            content.tokens[screen.shareName] = token
            guard let path, let end = path.lastIndex(of: "/") else { return }
            do throws(FileError) {
                try FolderCreation.make(String(path[..<end]), permissions: 0o700)
                try FileReplacement.write(Array(JSONText.pretty(content)), to: path, permissions: 0o600)
            } catch {
                // A full disk, or a folder that is not this user's: the next recording asks in the dialog.
            }
        }
    }
}
