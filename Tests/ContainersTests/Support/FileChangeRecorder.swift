import Foundation
import MulticamContainers
import MulticamMedia

/// Records all changes to a file, so that its state at any time can be reconstructed.
final class FileChangeRecorder: Sendable {
    private let monitor = ConditionLock<[FileChange]>([])

    /// Write hooks that record a file's changes.
    var hooks: FileWriteHooks {
        var conduct = FileWriteHooks()
        conduct.afterChange = { [monitor] change in monitor.withLock { $0.append(change) } }
        return conduct
    }

    var changes: [FileChange] { monitor.withLock { $0 } }

    /// Returns the file after `changes`, with the first `bytes` bytes of `next` if it is a write.
    static func content(after changes: ArraySlice<FileChange>, then next: FileChange? = nil, bytes: Int = 0)
        -> Data
    {
        var data = Data()
        for change in changes { apply(change, to: &data) }
        if case .write(let content, let offset)? = next {
            apply(.write(Array(content.prefix(bytes)), at: offset), to: &data)
        }
        return data
    }

    /// Returns a possible content of the file after a power cut. It contains all changes up to the last
    /// durable one, and any sectors of later writes.
    ///
    /// - Parameters:
    ///   - changes: The changes before the power cut.
    ///   - keeps: Returns whether a 512-byte sector that was written after the last durable change reached
    ///     the disk, given its number.
    /// - Returns: The file's content.
    static func content(afterPowerCutAfter changes: ArraySlice<FileChange>, keeps: (Int) -> Bool) -> Data {
        let durable = changes.lastIndex(of: .durable) ?? changes.startIndex
        var data = content(after: changes[changes.startIndex..<durable])
        for change in changes[durable...] {
            guard case .write(let content, let offset) = change else {
                apply(change, to: &data)
                continue
            }
            // The file's size may reach the disk without its data. Missing bytes are then zeros.
            extend(&data, to: Int(offset) + content.count)
            for sector in Int(offset) / 512...(Int(offset) + content.count - 1) / 512 where keeps(sector) {
                let part =
                    max(sector * 512, Int(offset))..<min((sector + 1) * 512, Int(offset) + content.count)
                data.replaceSubrange(
                    part, with: content[part.lowerBound - Int(offset)..<part.upperBound - Int(offset)])
            }
        }
        return data
    }

    private static func apply(_ change: FileChange, to data: inout Data) {
        switch change {
        case .write(let content, let offset):
            extend(&data, to: Int(offset) + content.count)
            data.replaceSubrange(Int(offset)..<Int(offset) + content.count, with: content)
        case .end(let end):
            extend(&data, to: Int(end))
            data = Data(data.prefix(Int(end)))
        case .durable, .nameDurable: break
        }
    }

    private static func extend(_ data: inout Data, to count: Int) {
        if data.count < count { data.append(Data(count: count - data.count)) }
    }
}
