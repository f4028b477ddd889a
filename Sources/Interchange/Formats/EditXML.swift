internal import Foundation
internal import FoundationXML

/// Makes the elements of XML projects. The XML library escapes all names and texts.
enum EditXML {
    /// Makes an element.
    static func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String? = nil,
        _ children: [XMLElement] = []
    ) -> XMLElement {
        let element = XMLElement(name: name, stringValue: text)
        for (key, value) in attributes {
            let attribute = XMLNode(kind: .attribute)
            attribute.name = key
            attribute.stringValue = value
            element.addAttribute(attribute)
        }
        for child in children { element.addChild(child) }
        return element
    }

    /// Makes the content of a file.
    static func data(_ root: XMLElement, type: String? = nil) -> Data {
        let document = XMLDocument(rootElement: root)
        document.version = "1.0"
        document.characterEncoding = "UTF-8"
        var text = document.xmlString(options: .nodePrettyPrint)
        // The library writes an empty public identifier, which is no name of a definition.
        if let type, let start = text.range(of: "<\(type)") {
            text.insert(contentsOf: "<!DOCTYPE \(type)>\n", at: start.lowerBound)
        }
        return Data(text.utf8) + Data("\n".utf8)
    }

    /// The address of a file of the session folder, relative to a file in `edit/`.
    static func address(of file: String) -> String {
        "../" + (file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? file)
    }

    /// A number for XML: at most six digits after the point, without needless ones.
    static func number(_ value: Double) -> String {
        var text = String(format: "%.6f", locale: Locale(identifier: "en_US_POSIX"), value)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }
}
