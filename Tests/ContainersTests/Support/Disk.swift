import Containers
import Foundation
import Media

/// Everything that is done to one file, so that any moment of its life can be made again.
final class Disk: Sendable {
    private let monitor = ConditionLock<[FileChange]>([])

    /// What a file is given so that it is watched.
    var conduct: DiskConduct {
        var conduct = DiskConduct()
        conduct.afterChange = { [monitor] change in monitor.withLock { $0.append(change) } }
        return conduct
    }

    var changes: [FileChange] { monitor.withLock { $0 } }

    /// The file after the first changes, and some bytes of the next if that is a write.
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

    /// What a power cut may leave: all up to the last change that is durable, and of what came later any sectors.
    ///
    /// - Parameters:
    ///   - changes: Until the power fails.
    ///   - keeps: Decides of each sector of 512 bytes that was written since, by its number, whether it got to the disk.
    /// - Returns: The file.
    static func content(afterPowerCutAfter changes: ArraySlice<FileChange>, keeps: (Int) -> Bool) -> Data {
        let durable = changes.lastIndex(of: .durable) ?? changes.startIndex
        var data = content(after: changes[changes.startIndex..<durable])
        for change in changes[durable...] {
            guard case .write(let content, let offset) = change else {
                apply(change, to: &data)
                continue
            }
            // The file's size comes to the disk with its bytes or without them: zeros stand where they are missing.
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
