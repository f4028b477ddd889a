internal import CPage

/// A file of the page, which is embedded in the program.
struct PageAsset {
    /// Its media type.
    let type: String
    let bytes: [UInt8]

    /// The file at an address; `nil` for none.
    static func at(_ path: String) -> PageAsset? {
        if let name = pages[path] {
            return all[name].map { PageAsset(type: "text/html; charset=utf-8", bytes: $0) }
        }
        guard path.hasPrefix("/page/") else { return nil }
        let name = String(path.dropFirst("/page/".count))
        guard let bytes = all[name], let end = name.lastIndex(of: "."), let type = types[String(name[end...])]
        else {
            return nil
        }
        return PageAsset(type: type, bytes: bytes)
    }

    private static let pages = [
        "/": "index.html", "/multiview": "multiview.html", "/program": "program.html",
        "/remote": "remote.html", "/phone": "phone.html",
    ]
    private static let types = [
        ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
    ]
    /// The files by name.
    static let all: [String: [UInt8]] = {
        let files = (0..<page_file_count).map { page_file_at($0).pointee }
        return Dictionary(
            files.map {
                (String(cString: $0.name), Array(UnsafeBufferPointer(start: $0.bytes, count: $0.count)))
            },
            uniquingKeysWith: { first, _ in first })
    }()
}
